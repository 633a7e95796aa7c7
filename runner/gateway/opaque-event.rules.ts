/**
 * A request that is not an exchange with a model, as a masked activity event
 * (specification/activity.md#events).
 */
import type { ActivityEvent } from '#protocol/activity.ts';
import { maskHeaders, maskText, maskUrl } from './masking.rules.ts';

export interface OpaqueRequest {
  startedAt: number;
  endedAt: number;
  host: string;
  method: string;
  /** The whole address, as requested. */
  url: string;
  status: number | null;
  requestHeaders: Readonly<Record<string, string | string[]>>;
  responseHeaders: Readonly<Record<string, string | string[]>>;
  requestBodyPreview: string | null;
  responseBodyPreview: string | null;
}

/** `requestBodyPreview` and `responseBodyPreview` are already masked and limited (preview.rules.ts). */
export function opaqueEvent(request: OpaqueRequest): ActivityEvent {
  const { startedAt, endedAt, host, method, url, requestHeaders, responseHeaders } = request;
  return {
    kind: 'opaque_http',
    ts: startedAt,
    duration: Math.max(0, endedAt - startedAt),
    entry: {
      ...request,
      kind: 'opaque_http',
      host: maskText(host),
      method,
      url: maskUrl(url),
      requestHeaders: maskHeaders(requestHeaders),
      responseHeaders: maskHeaders(responseHeaders),
    },
  };
}
