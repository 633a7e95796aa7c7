/**
 * Every refusal that the broker answers: a stable reason, its code, what happened, and what to do (specification/api.md#errors).
 * `{name}` in a text is a parameter that the caller of `refuse` passes. `docs/generated/errors.md` is written from this table. No schema
 * stands here, because store threads load this file and start faster without zod.
 */
import type { ErrorCode } from './errors.ts';

export interface Refusal {
  code: ErrorCode;
  /** What happened. */
  sentence: string;
  /** What the caller can do about it. */
  remedy?: string;
  /** Replaces the status of the code (specification/api.md#errors). */
  status?: 415 | 416;
}

export const refusals = {
  // Requests
  invalid_request: { code: 'bad_request', sentence: '{place}: {issue}' },
  invalid_json: { code: 'bad_request', sentence: 'the body is not valid JSON in UTF-8' },
  nested_too_deeply: {
    code: 'bad_request',
    sentence: '{part} is nested more deeply than {max} levels',
  },
  too_many_json_values: {
    code: 'bad_request',
    sentence: 'the body has more than {max} objects and lists',
    remedy: 'upload fewer events at a time',
  },
  malformed_request: { code: 'bad_request', sentence: 'the request is malformed' },
  invalid_http: { code: 'bad_request', sentence: 'the request is not valid HTTP' },
  invalid_url: { code: 'bad_request', sentence: 'the address is not a valid URL' },
  headers_too_large: { code: 'bad_request', sentence: 'the headers are too large' },
  request_too_slow: { code: 'bad_request', sentence: 'the request did not arrive in time' },
  body_interrupted: {
    code: 'bad_request',
    sentence: 'the connection ended before the whole body arrived',
  },
  body_too_slow: { code: 'bad_request', sentence: 'the body did not arrive in time' },
  body_too_large: {
    code: 'payload_too_large',
    sentence: 'the body is larger than the {max} bytes that this path accepts',
  },
  wrong_content_type: { code: 'bad_request', sentence: 'the body must be application/json', status: 415 },
  invalid_content_type: {
    code: 'bad_request',
    sentence: 'the content type is not a MIME type such as text/plain',
    status: 415,
  },
  missing_host: { code: 'bad_request', sentence: 'the Host header is missing' },
  repeated_host: { code: 'bad_request', sentence: 'the request has more than one Host header' },
  unknown_host: {
    code: 'forbidden',
    sentence: 'this broker does not answer to that Host',
    remedy: 'add the name to listen.hosts in its configuration',
  },
  foreign_origin: {
    code: 'forbidden',
    sentence: 'this broker does not accept requests from pages of other origins',
  },
  unsupported_protocol: {
    code: 'bad_request',
    sentence: 'X-SVC-Protocol must be {version}, the only version that this broker supports',
  },
  unsupported_expectation: {
    code: 'bad_request',
    sentence: 'this broker does not support that Expect header',
  },
  unknown_path: { code: 'not_found', sentence: 'there is no such path' },
  console_not_built: {
    code: 'not_found',
    sentence: 'the console is not built',
    remedy: 'run "npm run build" in the installation of this broker',
  },
  stream_needs_own_connection: {
    code: 'bad_request',
    sentence: 'a stream cannot share its connection with other requests',
    remedy: 'open it on a new connection',
  },
  stream_needs_http_1_1: { code: 'bad_request', sentence: 'a stream needs HTTP/1.1' },
  invalid_range: {
    code: 'bad_request',
    sentence: 'the range is not within the {size} bytes of this file',
    status: 416,
  },
  idempotency_key_malformed: {
    code: 'bad_request',
    sentence: 'Idempotency-Key must be 1 to 128 visible ASCII characters',
  },
  idempotency_key_reused: {
    code: 'conflict',
    sentence: 'this Idempotency-Key was used with another body',
    remedy: 'use a new key',
  },

  // The state of the broker
  internal_error: { code: 'internal', sentence: 'the broker failed; its log has the cause' },
  shutting_down: {
    code: 'unavailable',
    sentence: 'the broker is shutting down',
    remedy: 'try again in a moment',
  },
  standing_by: {
    code: 'unavailable',
    sentence: 'this broker stands by, and only the active one answers',
    remedy: 'try again in a moment',
  },
  not_confirmed: {
    code: 'unavailable',
    sentence:
      'this broker cannot confirm that it is still the active one, because its database does not answer',
    remedy: 'try again in a moment',
  },
  not_set_up: {
    code: 'unavailable',
    sentence: 'this broker is not set up yet',
    remedy: 'open the setup link that it printed at startup',
  },
  store_closed: { code: 'unavailable', sentence: 'the store is closed', remedy: 'restart the broker' },
  store_lost: {
    code: 'unavailable',
    sentence: 'a store was deleted or replaced while the broker ran, and nothing is written anymore',
    remedy: 'put its files back, or restore a backup and restart the broker; its log names the file',
  },
  store_unreadable: {
    code: 'unavailable',
    sentence: 'the broker cannot read its store; its log has the cause',
  },
  store_damaged: {
    code: 'unavailable',
    sentence: 'the {store} store is damaged or cannot be used, and this needs it',
    remedy: 'whoever runs the broker must stop it and run "muster repair"',
  },
  search_damaged: {
    code: 'unavailable',
    sentence: 'the search index is damaged, and nothing can be searched; no message is lost',
    remedy: 'whoever runs the broker must stop it and run "muster repair"',
  },
  storage_failed: {
    code: 'unavailable',
    sentence: 'the storage is full or broken, and nothing was written; the broker’s log has the cause',
  },
  too_much_uploading: {
    code: 'unavailable',
    sentence: 'too much is being uploaded at the moment',
    remedy: 'try again later',
  },
  configuration_invalid: {
    code: 'bad_request',
    sentence: 'the configuration would not be valid: {faults}',
  },
  configuration_changed: {
    code: 'unavailable',
    sentence: 'the configuration file was changed on disk after the broker loaded it',
    remedy: 'restart the broker to load it, then try again',
  },
  configuration_appeared: {
    code: 'conflict',
    sentence: 'a configuration file appeared after the broker started, and the broker left it as it is',
    remedy: 'restart the broker to use it',
  },
  configuration_unwritable: {
    code: 'unavailable',
    sentence: 'the {file} file cannot be written ({cause}), and nothing was changed',
    remedy: 'free some space, or make the file and its folder writable, then try again',
  },
  configuration_mounted: {
    code: 'unavailable',
    sentence:
      'the {file} file is mounted as a single file, so the broker cannot replace it ({cause}), and nothing was changed',
    remedy: 'mount the folder that contains "{name}" instead of the file, then restart the broker',
  },

  // HTTPS
  no_own_authority: {
    code: 'not_found',
    sentence: 'this broker has no authority of its own now: LAN access is off, or it uses other certificates',
  },
  no_network: {
    code: 'unavailable',
    sentence: 'this machine is not on any network',
    remedy: 'connect it to a network, then turn on LAN access',
  },
  foreign_certificates: {
    code: 'conflict',
    sentence: 'the https block of "{path}" names certificates that this broker did not create',
    remedy: 'to keep them, remove the block from the file yourself, then restart the broker',
  },
  https_port_in_use: {
    code: 'unavailable',
    sentence: 'LAN access stays off, because another program uses the port',
    remedy: 'stop it, or set listen.httpsPort in the configuration to another port and restart the broker',
  },
  https_port_forbidden: {
    code: 'unavailable',
    sentence: 'LAN access stays off, because the port needs more rights',
    remedy: 'set listen.httpsPort in the configuration to a port above 1023',
  },
  https_address_unavailable: {
    code: 'unavailable',
    sentence: 'LAN access stays off, because this machine does not have the configured address',
    remedy: 'correct listen.httpsHost in the configuration',
  },
  https_host_unknown: {
    code: 'unavailable',
    sentence: 'LAN access stays off, because the configured host name is unknown',
    remedy: 'correct listen.httpsHost in the configuration',
  },
  https_failed: { code: 'unavailable', sentence: 'LAN access stays off: {cause}' },

  // Credentials and rights
  unauthenticated: {
    code: 'unauthenticated',
    sentence: 'a valid credential is needed',
    remedy: 'send Authorization: Bearer <token>',
  },
  no_longer_a_member: { code: 'unauthenticated', sentence: 'you are no longer a member' },
  login_failed: { code: 'unauthenticated', sentence: 'the member or the code is wrong' },
  login_link_invalid: {
    code: 'unauthenticated',
    sentence: 'the login link was used before, is older than a minute, or its token is gone',
    remedy: 'create a new one',
  },
  login_link_exposed: {
    code: 'forbidden',
    sentence: 'a login link works only over HTTPS or on the machine of the broker',
  },
  too_many_unnamed_codes: {
    code: 'rate_limited',
    sentence: 'too many wrong codes were entered without the name of a member',
    remedy: 'enter your name with the code, or try again in {seconds} seconds',
  },
  too_many_wrong_codes: {
    code: 'rate_limited',
    sentence: 'too many wrong codes were entered',
    remedy: 'try again in {seconds} seconds',
  },
  setup_key_wrong: {
    code: 'unauthenticated',
    sentence: 'the setup key is missing or wrong',
    remedy: 'use the setup link that the broker printed at startup',
  },
  setup_code_wrong: {
    code: 'bad_request',
    sentence: 'the code is not the current one of this authenticator, and nothing was set up',
    remedy: 'check that both clocks are correct, and try the next code',
  },
  authenticator_code_wrong: {
    code: 'bad_request',
    sentence: 'the code is not the current one of this authenticator, and nothing was changed',
    remedy: 'check that both clocks are correct, and try the next code',
  },
  present_code_needed: {
    code: 'bad_request',
    sentence: 'replacing your own authenticator needs a code of the present one, and nothing was changed',
    remedy: 'if it is lost, ask a member with members.manage to enroll another one for you',
  },
  present_code_wrong: {
    code: 'bad_request',
    sentence: 'the code of the present authenticator is wrong or was used before, and nothing was changed',
    remedy: 'wait for the next code of the present authenticator, and try again',
  },
  bearer_only: { code: 'forbidden', sentence: 'this path accepts only a bearer token' },
  session_only: { code: 'forbidden', sentence: 'this path accepts only a session' },
  missing_right: { code: 'forbidden', sentence: 'you may not do this: it needs {needs}' },
  presets_need_members_manage: {
    code: 'forbidden',
    sentence: 'changing permissionPresets needs members.manage as well',
  },

  // Members, tokens, and the team
  already_set_up: {
    code: 'conflict',
    sentence: 'this broker is already set up, and its configuration was not changed',
  },
  unknown_member: { code: 'not_found', sentence: 'there is no member named "{name}"' },
  name_taken: {
    code: 'conflict',
    sentence: 'the name "{name}" is taken by "{holder}"',
    remedy: 'choose another name',
  },
  name_retired: {
    code: 'conflict',
    sentence: 'the name "{name}" belonged to a removed member and cannot be used again',
    remedy: 'choose another name',
  },
  unknown_permission: { code: 'bad_request', sentence: 'neither a preset nor a permission: {entries}' },
  last_manager: {
    code: 'bad_request',
    sentence: 'no member would hold members.manage anymore',
    remedy: 'give it to another member first',
  },
  unknown_token: { code: 'not_found', sentence: '"{name}" has no token with this id' },
  preset_named_like_permission: {
    code: 'bad_request',
    sentence: 'a preset must not have the name of a permission: "{name}"',
  },
  preset_holds_unknown: {
    code: 'bad_request',
    sentence: 'the preset "{preset}" may hold only permissions, not "{entry}"',
  },
  preset_in_use: {
    code: 'conflict',
    sentence: 'these presets are still in use: {presets}, by {members}',
    remedy: 'change the permissions of these members first',
  },

  // Conversations and messages
  unknown_conversation: { code: 'not_found', sentence: 'there is no such conversation' },
  not_in_conversation: { code: 'forbidden', sentence: 'you are not in this conversation' },
  event_is_reserved: {
    code: 'bad_request',
    sentence: 'only the broker writes data.event',
    remedy: 'leave it out',
  },
  thread_and_recipient: {
    code: 'bad_request',
    sentence: 'a message has either "to" or data.thread, not both',
  },
  invalid_thread: {
    code: 'bad_request',
    sentence: 'data.thread must be "{form}"',
    remedy: 'post to an objective’s thread with /objectives/<id>/discuss',
  },
  data_too_large: { code: 'bad_request', sentence: 'data must be at most {max} bytes of JSON' },
  unknown_message: { code: 'not_found', sentence: 'there is no such message' },
  message_not_yours: { code: 'forbidden', sentence: 'only its sender may change a message' },
  changed_by_person: {
    code: 'forbidden',
    sentence: 'only a person may change a message, not a run of an agent',
    remedy: 'send a correction as a reply',
  },
  too_late_to_change: {
    code: 'conflict',
    sentence: 'a message can be changed for one hour only',
    remedy: 'send a correction as a reply',
  },
  message_is_record: {
    code: 'conflict',
    sentence: 'this message is part of a record that nobody changes: {why}',
    remedy: 'send a correction as a reply',
  },
  message_is_deleted: { code: 'conflict', sentence: 'this message was deleted' },
  receipts_not_yours: {
    code: 'forbidden',
    sentence: 'only the sender of a message and managers may see its receipts',
  },
  not_a_recipient: { code: 'forbidden', sentence: 'this message is not addressed to you' },
  message_of_another_scope: {
    code: 'bad_request',
    sentence: 'body.upTo: this message is in {scope}',
  },
  time_in_the_future: {
    code: 'bad_request',
    sentence: 'body.at: must not be in the future',
    remedy: 'send epoch milliseconds',
  },
  search_without_words: {
    code: 'bad_request',
    sentence: 'query.q: must have at least one letter or digit',
  },
  search_with_too_many_words: {
    code: 'bad_request',
    sentence: 'query.q: must have at most {max} words and phrases',
  },

  // Channels
  unknown_channel: { code: 'not_found', sentence: 'there is no such channel' },
  unknown_channel_slug: { code: 'not_found', sentence: 'there is no channel #{slug}' },
  not_in_channel: {
    code: 'forbidden',
    sentence: 'you are not a member of this channel',
    remedy: 'join it first',
  },
  member_not_in_channel: { code: 'not_found', sentence: '"{name}" is not in #{slug}' },
  channel_archived: { code: 'gone', sentence: '#{slug} is archived and cannot be {act} anymore' },
  general_is_fixed: {
    code: 'conflict',
    sentence: '#general always exists for everybody and cannot be {act}',
  },
  channel_slug_taken: {
    code: 'conflict',
    sentence: 'this slug is taken, possibly by an archived channel',
    remedy: 'choose another slug',
  },
  too_many_channels: {
    code: 'conflict',
    sentence: 'you have created {max} channels, which is the limit; archived ones count',
    remedy: 'ask a member with members.manage to create this one',
  },
  channel_admins_only: {
    code: 'forbidden',
    sentence: 'only the channel’s admins and members with members.manage may do this',
  },
  channel_others_by_admins: {
    code: 'forbidden',
    sentence:
      'only the channel’s admins and members with members.manage may add and remove others; you may join and leave',
  },
  channel_admin_by_admins: {
    code: 'forbidden',
    sentence: 'only the channel’s admins and members with members.manage may give the role admin',
    remedy: 'join without it',
  },
  last_channel_admin: {
    code: 'conflict',
    sentence: '"{name}" is the only admin of #{slug}',
    remedy: 'make another member an admin first',
  },

  // Objectives
  unknown_objective: { code: 'not_found', sentence: 'there is no such objective' },
  unknown_objective_before: {
    code: 'bad_request',
    sentence: 'query.before: there is no objective with this id',
  },
  not_in_thread: {
    code: 'forbidden',
    sentence: 'the thread is for the objective’s originator, assignee, and watchers, and for managers',
  },
  objective_done: { code: 'gone', sentence: 'the objective is done', remedy: 'create a new one instead' },
  objective_ended: { code: 'conflict', sentence: 'the objective is {status} and cannot change anymore' },
  objective_change_empty: {
    code: 'bad_request',
    sentence: 'the request changes nothing',
    remedy: 'pass status, blockReason, or both',
  },
  block_reason_missing: { code: 'bad_request', sentence: 'blocking needs a blockReason' },
  objective_not_blocked: {
    code: 'bad_request',
    sentence: 'the objective is not blocked',
    remedy: 'pass status "blocked" with the blockReason',
  },
  already_assigned: {
    code: 'bad_request',
    sentence: 'the objective is already assigned to "{name}"',
  },
  watcher_in_both_lists: {
    code: 'bad_request',
    sentence: 'the request both adds and removes "{name}"',
    remedy: 'name the member once',
  },
  unknown_participant: {
    code: 'bad_request',
    sentence: 'the {role} must be a member, and there is none named {names}',
  },

  // Files
  files_off: {
    code: 'unavailable',
    sentence: 'this broker keeps no files, because its configuration has no files block',
  },
  files_of_another_store: {
    code: 'unavailable',
    sentence: 'files are off, because "{root}" holds the files of another store',
    remedy: 'start the broker with that store, or name another folder in files.root of the configuration',
  },
  files_not_shared: {
    code: 'unavailable',
    sentence: 'files are off, because "{root}" is not the folder that the machines of this team share',
    remedy:
      'mount that folder there, or if the files were moved, copy all of the old folder, hidden files included',
  },
  files_root_unusable: {
    code: 'unavailable',
    sentence:
      'files are off, because files.root "{root}" cannot be used ({cause}); the broker’s log has the details',
  },
  file_not_written: {
    code: 'unavailable',
    sentence:
      'the storage is full or broken ({cause}), and nothing was written; the broker’s log has the details',
  },
  content_unreadable: {
    code: 'unavailable',
    sentence: 'the content of this file cannot be read ({cause}); the broker’s log has the details',
  },
  content_missing: {
    code: 'unavailable',
    sentence: 'the content of this file is missing; the broker’s log has the details',
  },
  file_too_large: {
    code: 'payload_too_large',
    sentence: 'the file is larger than the {max} bytes that this broker accepts',
  },
  invalid_mime_type: {
    code: 'bad_request',
    sentence: 'the content type is not a MIME type',
    remedy: 'pass mime',
  },
  attachment_not_found: { code: 'not_found', sentence: 'attachment not found: {path}' },
  attachment_is_directory: { code: 'bad_request', sentence: 'attachment is a directory: {path}' },
  attachment_unreadable: { code: 'forbidden', sentence: 'you may not read one of the attachments' },
  not_your_home: {
    code: 'forbidden',
    sentence: 'you may change files only in your own home, unless you hold members.manage',
  },
  path_not_shared: {
    code: 'forbidden',
    sentence: 'this path is neither in your home nor shared with you',
  },
  nothing_at_path: { code: 'not_found', sentence: 'there is nothing at "{path}"' },
  path_outside_homes: {
    code: 'bad_request',
    sentence: 'the path must be inside a home: /<member>/<name>',
  },
  unknown_home: { code: 'not_found', sentence: 'there is no home "{home}"' },
  is_a_file: { code: 'conflict', sentence: '"{path}" is a file, not a directory' },
  is_a_directory: { code: 'conflict', sentence: '"{path}" is a directory' },
  needs_a_file: { code: 'bad_request', sentence: '"{path}" is a directory, and only files can be {act}' },
  needs_a_directory: { code: 'bad_request', sentence: '"{path}" is a file, and ls takes a directory' },
  name_collision: {
    code: 'conflict',
    sentence: '"{path}" already exists',
    remedy: 'pass collide=overwrite or collide=suffix, or choose another name',
  },
  path_exists: { code: 'conflict', sentence: '"{path}" already exists' },
  no_free_name: {
    code: 'conflict',
    sentence: 'every shorter name like "{path}" is taken',
    remedy: 'choose another name',
  },
  parent_missing: {
    code: 'not_found',
    sentence: 'there is no directory "{directory}"',
    remedy: 'create it first, for example with mkdir and recursive=true',
  },
  home_is_permanent: { code: 'forbidden', sentence: 'homes and / cannot be removed' },
  directory_not_empty: {
    code: 'conflict',
    sentence: '"{path}" is not empty',
    remedy: 'pass recursive=true to remove all of it',
  },

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
  },
  device_code_expired: {
    code: 'expired_token',
    sentence: 'this code is unknown, used, or expired',
    remedy: 'start the enrollment again',
  },
  device_rejected: { code: 'access_denied', sentence: 'this device was rejected' },

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
  web_push_off: { code: 'not_found', sentence: 'this broker sends no push messages' },
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
    remedy: 'ask whoever runs the broker to free some space',
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

export type Reason = keyof typeof refusals;

type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;
type TextOf<R extends Reason> =
  | (typeof refusals)[R]['sentence']
  | ((typeof refusals)[R] extends { remedy: infer Remedy } ? Remedy : never);

/** A list stands in the message as quoted values. */
type Value = string | number | readonly string[];

/** The parameters that the texts of a reason name. */
export type RefusalParameters<R extends Reason> = Record<Placeholders<TextOf<R>>, Value>;

/** Returns the message of a refusal: what happened, then what to do, with the parameters filled in. */
export function refusalMessage(reason: Reason, parameters: Readonly<Record<string, Value>>): string {
  const { sentence, remedy }: Refusal = refusals[reason];
  const text = remedy === undefined ? sentence : `${sentence}; ${remedy}`;
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => textOf(parameters[name] ?? ''));
}

const textOf = (value: Value): string =>
  typeof value === 'object' ? value.map((one) => `"${one}"`).join(', ') : String(value);
