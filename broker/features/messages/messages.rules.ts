/** What a push becomes before it is stored (specification "Messaging", D5, D18). Pure. */
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { PushPayload } from '#protocol/message.ts';

/** JSON text of `data`. @throws BrokerError bad_request over 16 KiB, or nested too deeply to be written. */
export function dataText(payload: PushPayload): string {
  let json: string;
  try {
    json = JSON.stringify(payload.data ?? {});
  } catch {
    return refuse('bad_request', 'data is nested too deeply');
  }
  // A UTF-16 unit takes at most three bytes of UTF-8, so short text needs no counting.
  const { dataBytes } = limits.message;
  if (json.length * 3 > dataBytes && new TextEncoder().encode(json).length > dataBytes) {
    refuse('bad_request', `data must be at most ${dataBytes} bytes of JSON`);
  }
  return json;
}

/**
 * Refuses attachments where no files are kept: one's own path is a missing file, anything else is unreadable (D18).
 */
export function refuseUnreadable(sender: MemberName, attachments: readonly string[]): void {
  for (const path of attachments) {
    if (path.split('/')[1] === sender) refuse('not_found', `attachment not found: ${path}`);
    refuse('forbidden', 'an attachment is not readable by you');
  }
}
