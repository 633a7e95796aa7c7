/** The conditions that an operator should act on, each with its remedy, and everything that is known as a file for somebody who helps. */
import { Download } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { ConditionList } from './condition-list.tsx';
import { type Condition, conditionsOf, type HealthFacts } from './needs-attention.rules.ts';
import { useHealth } from './use-health.ts';

function save(facts: HealthFacts, conditions: readonly Condition[]): void {
  const { diagnostics, lowDisks = [], cuts } = facts;
  const content = {
    savedAt: new Date().toISOString(),
    needsAttention: conditions.map(({ sentence }) => sentence),
    diagnostics,
    lowDisks,
    auditCuts: cuts.map(({ seq, at }) => ({ seq, at })),
    browser: navigator.userAgent,
  };
  saveFile(
    new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }),
    'muster-diagnostics.json',
  );
}

export function NeedsAttention() {
  const { facts, error, retry } = useHealth();
  const conditions = facts && conditionsOf(facts);
  return (
    <Section
      title="Needs attention"
      actions={
        <Button
          size="small"
          disabled={facts === undefined}
          onClick={() => facts !== undefined && save(facts, conditionsOf(facts))}
        >
          <Download className="size-3.5" />
          Download diagnostics
        </Button>
      }
    >
      <ConditionList conditions={conditions} error={error} onRetry={retry}>
        Nothing needs attention.
      </ConditionList>
    </Section>
  );
}
