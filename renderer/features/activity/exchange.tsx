/** One exchange with a model: its input, its output, and its tool calls. Long texts are shown in parts. */
import type { LlmExchangeEntry } from '#protocol/activity.ts';
import { shortCount } from '../../data/token-usage.ts';
import { ExchangeMessages, textOf } from './exchange-messages.tsx';
import { LongText } from './long-text.tsx';

export function ExchangeView({ entry }: { entry: LlmExchangeEntry }) {
  const { request, response, model, provider, startedAt, endedAt } = entry;
  const usage = response?.usage;
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-2 gap-2 text-sm sm:grid-cols-4">
        {(
          [
            ['Model', model ?? 'unknown'],
            ['Provider', provider],
            ['Duration', `${((endedAt - startedAt) / 1000).toFixed(1)} s`],
            ['Stop reason', response?.stopReason ?? textOf(response?.status ?? 'no response')],
            ['Input tokens', shortCount.format(usage?.inputTokens ?? 0)],
            ['Output tokens', shortCount.format(usage?.outputTokens ?? 0)],
            ['Read from cache', shortCount.format(usage?.cacheReadInputTokens ?? 0)],
            ['Written to cache', shortCount.format(usage?.cacheCreationInputTokens ?? 0)],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt className="text-soft">{name}</dt>
            <dd className="font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      {request.system === null ? null : (
        <details className="rounded-md border border-line">
          <summary className="px-3 py-1.5 font-medium">System prompt</summary>
          <div className="border-t border-line px-3 py-2">
            <LongText label="System prompt" text={request.system} />
          </div>
        </details>
      )}
      <ExchangeMessages title="Request" messages={request.messages} openLast />
      {response === null ? (
        <p className="text-soft">No response was recorded.</p>
      ) : (
        <ExchangeMessages title="Response" messages={response.messages} openLast />
      )}
      {request.tools === null ? null : (
        <p className="text-sm text-soft">
          Tools: {request.tools.map((tool) => textOf(tool.name ?? tool.type ?? 'tool')).join(', ')}
        </p>
      )}
    </div>
  );
}
