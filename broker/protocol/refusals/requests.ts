/** Refusals of a request before its operation is asked: its form, the state of the broker, HTTPS, and rights. */
import type { Refusal } from './refusal.ts';

export const requestRefusals = {
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
    remedy:
      'open the console at the address of the broker; behind a proxy, add the proxy to listen.trustedProxies of the configuration',
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
    remedy: 'the person who runs the broker must stop it and run "muster repair"',
  },
  search_damaged: {
    code: 'unavailable',
    sentence: 'the search index is damaged, and nothing can be searched; no message is lost',
    remedy: 'the person who runs the broker must stop it and run "muster repair"',
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
    remedy: 'turn on LAN access, or get the certificate from the person who runs the broker',
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
    remedy: 'use HTTPS, or open the link on the machine of the broker',
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
  bearer_only: {
    code: 'forbidden',
    sentence: 'this path accepts only a bearer token',
    remedy: 'send the token of a member',
  },
  session_only: {
    code: 'forbidden',
    sentence: 'this path accepts only a session',
    remedy: 'log in to the console',
  },
  missing_right: { code: 'forbidden', sentence: 'you may not do this: it needs {needs}' },
  presets_need_members_manage: {
    code: 'forbidden',
    sentence: 'changing permissionPresets needs members.manage as well',
  },
} as const satisfies Record<string, Refusal>;
