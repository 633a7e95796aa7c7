/** Prepares a push for storage (specification/messages.md#message). Pure. */
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { PushPayload } from '#protocol/message.ts';
import { isDeeper } from '../../runtime/json-depth.rules.ts';

/** Returns the JSON text of `data`. @throws BrokerError bad_request if it exceeds 16 KiB or 128 levels of nesting. */
export function dataText(payload: PushPayload): string {
  const { dataBytes, maxDataDepth } = limits.message;
  // Some of what handles a message recurses, such as the copy that goes to the store's thread.
  if (isDeeper(payload.data, maxDataDepth)) refuse('nested_too_deeply', { part: 'data', max: maxDataDepth });
  const json = JSON.stringify(payload.data ?? {});
  // A UTF-16 unit takes at most three bytes of UTF-8, so short text needs no counting.
  if (json.length * 3 > dataBytes && new TextEncoder().encode(json).length > dataBytes) {
    refuse('data_too_large', { max: dataBytes });
  }
  return json;
}

/**
 * Refuses attachments if no files are kept: the sender's own path is a missing file, and anything else is
 * unreadable (specification/messages.md#push).
 */
export function refuseUnreadable(sender: MemberName, attachments: readonly string[]): void {
  for (const path of attachments) {
    if (path.split('/')[1] === sender) refuse('attachment_not_found', { path });
    refuse('attachment_unreadable');
  }
}
