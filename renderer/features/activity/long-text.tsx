/** A text of which only the first part is shown until more is asked for. */
import { useState } from 'react';
import { boundMarks } from '#protocol/combining-marks.ts';
import { shortCount } from '../../data/token-usage.ts';
import { Button } from '../../ui/button.tsx';
import { scrollable } from '../../ui/scrollable.ts';

const maxFirstCharacters = 4000;

const maxMoreCharacters = 100_000;

export function LongText({ text, label }: { text: string; label: string }) {
  const [length, setLength] = useState(maxFirstCharacters);
  return (
    <div>
      <pre {...scrollable(label)} className="max-h-96 overflow-auto font-mono text-sm whitespace-pre-wrap">
        {boundMarks(text.slice(0, length))}
      </pre>
      {text.length > length ? (
        <Button size="small" look="quiet" onClick={() => setLength(length + maxMoreCharacters)}>
          Show more ({shortCount.format(text.length - length)} characters left)
        </Button>
      ) : null}
    </div>
  );
}
