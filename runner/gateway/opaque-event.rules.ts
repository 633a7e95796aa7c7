/** A request that is no exchange with a model, as an activity event (D11), masked. */
import type { ActivityEvent } from '#protocol/activity.ts';
import { maskHeaders, maskText, maskUrl } from './masking.rules.ts';

export interface OpaqueRequest {
  startedAt: number;
  endedAt: number;
  host: string;
  method: string;
  /** Whole, as it was asked for. */
  url: string;
  status: number | null;
  requestHeaders: Readonly<Record<string, string | string[]>>;
  responseHeaders: Readonly<Record<string, string | string[]>>;
  requestBodyPreview: string | null;
  responseBodyPreview: string | null;
}

/** `requestBodyPreview` and `responseBodyPreview` come masked and bounded (preview.rules.ts). */
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
