/** Refusals about agents, devices, sign-in, logs, and connections. */
import type { Refusal } from './refusal.ts';

export const administrationRefusals = {
  // Usage of the agents
  usage_range_reversed: { code: 'bad_request', sentence: 'query.from: must not be after query.to' },
  usage_range_too_long: {
    code: 'bad_request',
    sentence: 'query: asks for more than {max} days',
    remedy: 'ask for fewer days at a time',
  },

  // Devices
  too_many_enrollments: {
    code: 'rate_limited',
    sentence: 'too many enrollment requests came from your address',
    remedy: 'try again in {seconds} seconds',
  },
  too_many_devices: {
    code: 'rate_limited',
    sentence: 'too many devices are waiting for approval',
    remedy: 'try again in {seconds} seconds',
  },
  no_free_code: { code: 'unavailable', sentence: 'no free code was found', remedy: 'try again' },
  unknown_user_code: {
    code: 'not_found',
    sentence: 'no device is waiting with this code',
    remedy: 'check it, or start again on the device',
  },
  already_decided: { code: 'conflict', sentence: 'this device was already approved or rejected' },
  user_code_expired: {
    code: 'gone',
    sentence: 'this code has expired',
    remedy: 'start again on the device',
  },
  enrollment_pending: {
    code: 'authorization_pending',
    sentence: 'nobody has decided yet',
    remedy: 'poll again after the interval',
  },
  polled_too_soon: {
    code: 'slow_down',
    sentence: 'the device polled too soon; the interval is five seconds longer from now on',
    remedy: 'wait for the longer interval, and poll again',
  },
  device_code_expired: {
    code: 'expired_token',
    sentence: 'this code is unknown, used, or expired',
    remedy: 'start the enrollment again',
  },
  device_rejected: {
    code: 'access_denied',
    sentence: 'this device was rejected',
    remedy: 'ask a manager, and start the enrollment again',
  },

  // Federation
  platform_url_refused: { code: 'bad_request', sentence: 'the platform cannot be asked: {cause}' },
  platform_unreachable: {
    code: 'unavailable',
    sentence: 'the platform cannot be reached: {cause}',
    remedy: 'try again',
  },
  platform_url_invalid: { code: 'bad_request', sentence: 'platformUrl {fault}' },
  pairing_code_refused: {
    code: 'bad_request',
    sentence: 'the platform does not accept this pairing code (it answered {status})',
  },
  not_a_platform: {
    code: 'unavailable',
    sentence: 'the answer did not come from a platform',
    remedy: 'check the address',
  },
  platform_keys_url_invalid: { code: 'bad_request', sentence: 'the platform’s jwksUrl {fault}' },
  platform_keys_unavailable: {
    code: 'unavailable',
    sentence: 'the platform’s keys are not available at the moment',
    remedy: 'try again shortly',
  },
  unknown_pairing_code: {
    code: 'not_found',
    sentence: 'this pairing code is unknown or was already looked up',
  },
  too_many_lookups: {
    code: 'rate_limited',
    sentence: 'too many lookups failed',
    remedy: 'try again in {seconds} seconds',
  },

  // Sessions
  session_not_of_this_page: {
    code: 'unauthenticated',
    sentence: 'this session belongs to another page, or to none',
    remedy: 'log in again',
  },
  unknown_session: { code: 'not_found', sentence: '"{name}" has no open session with this id' },

  // Web push
  web_push_off: {
    code: 'not_found',
    sentence: 'this broker sends no push messages',
    remedy: 'create a key pair with "muster setup --new-vapid", and restart the broker',
  },
  push_endpoint_invalid: { code: 'bad_request', sentence: 'endpoint {fault}' },
  push_key_invalid: {
    code: 'bad_request',
    sentence: 'keys.p256dh is not a point on the curve P-256',
  },
  unknown_subscription: { code: 'not_found', sentence: 'you have no push subscription with this id' },
  push_endpoint_taken: {
    code: 'conflict',
    sentence: 'this endpoint is registered with other keys',
    remedy: 'subscribe again in the browser',
  },
  too_many_subscriptions: {
    code: 'conflict',
    sentence: 'a member has at most {max} push subscriptions',
    remedy: 'remove one first',
  },

  // Runs of agents
  run_held: {
    code: 'conflict',
    sentence: '{member} runs on {host} since {since}',
    remedy: 'pass --take-over to end that run',
  },
  run_taken_over: {
    code: 'conflict',
    sentence: 'another run of {member} on {host} took over',
  },
  run_stopped: { code: 'conflict', sentence: '{by} stopped the run of {member}' },
  run_makes_no_credentials: {
    code: 'forbidden',
    sentence: 'the token of a run cannot make credentials',
    remedy: 'use a token of a person, or the console',
  },
  unknown_run: { code: 'not_found', sentence: 'no such run holds a lease' },

  // Activity
  unknown_activity: { code: 'not_found', sentence: 'there is no such activity, or it was removed' },

  // Audit
  unknown_audit_cut: {
    code: 'not_found',
    sentence: 'record {seq} of the audit log does not say that the log was cut',
  },

  // Held posts
  unknown_held: { code: 'not_found', sentence: 'no such post is held' },
  held_by_person: {
    code: 'forbidden',
    sentence: 'only a person may release or drop a held post, not a run of an agent',
    remedy: 'use the console, or end the run',
  },
  held_earlier: {
    code: 'conflict',
    sentence: 'an earlier post of {member} in this conversation is held',
    remedy: 'release or drop it first',
  },
  too_many_held: {
    code: 'conflict',
    sentence: 'this post was not stored, because {max} posts {whose} are held',
    remedy: 'a person with members.manage must release or drop some of them first',
  },

  // Connections
  too_many_connections: {
    code: 'unavailable',
    sentence: 'too many connections are open',
    remedy: 'close some of yours, or try again later',
  },
  too_many_streams: {
    code: 'rate_limited',
    sentence: 'you have {max} open streams, the most that a member may have',
    remedy: 'close some of them',
  },
  too_many_downloads: {
    code: 'rate_limited',
    sentence: 'you are receiving {max} files or long lists, the most that a member may receive at a time',
    remedy: 'wait until some of them are complete',
  },
  home_full: {
    code: 'conflict',
    sentence: 'the home of {member} would hold more than the {max} bytes that it may hold',
    remedy: 'remove files there',
  },
  too_many_entries: {
    code: 'conflict',
    sentence: 'the home of {member} would hold more than the {max} files and directories that it may hold',
    remedy: 'remove some of them',
  },
  too_many_bytes: {
    code: 'rate_limited',
    sentence: 'you send more than the broker keeps of one member in this time',
    remedy: 'try again later',
  },
  disk_nearly_full: {
    code: 'unavailable',
    sentence: 'the disk of the broker is nearly full, and nothing was written',
    remedy: 'ask the person who runs the broker to free some space',
  },
  tunnel_refused: {
    code: 'bad_request',
    sentence: 'this broker is not a proxy and does not support CONNECT',
  },
  unknown_hold_target: {
    code: 'not_found',
    sentence: 'there is no such conversation or member: {target}',
  },
  hold_on_nothing: {
    code: 'conflict',
    sentence: 'nothing was removed, because there is a legal hold on "{target}", which does not exist',
    remedy: 'release the hold, or correct it in the configuration',
  },
  clock_jumped: {
    code: 'conflict',
    sentence: 'nothing was removed, because the clock of the broker jumped ahead less than a day ago',
    remedy: 'set the clock right, or restart the broker if it is right',
  },
  unknown_hold: { code: 'not_found', sentence: 'there is no such hold' },
  too_many_retention_holds: {
    code: 'conflict',
    sentence: 'there are {max} holds, the most that there can be',
    remedy: 'release one of them',
  },
  too_many_channel_rules: {
    code: 'conflict',
    sentence: 'more than {max} channels would have a rule of their own',
  },
  too_many_own_changes: {
    code: 'rate_limited',
    sentence: 'you have changed your credentials, channels, or the team too often within an hour',
    remedy: 'try again in {seconds} seconds, or ask a person with members.manage',
  },
} as const satisfies Record<string, Refusal>;
