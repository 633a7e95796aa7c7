/** The list of shortcuts, which `?` opens. */
import { Dialog } from '../ui/dialog.tsx';
import { Keys, keyNames } from '../ui/keys.tsx';
import { scrollable } from '../ui/scrollable.ts';
import { type CommandContext, offered } from './registry.ts';
import { screenCommands } from './screen-commands.ts';

const group = 'Everywhere';
const fixed = [
  { title: 'Filter this screen', keys: '/', group },
  { title: 'Close the dialog or menu on top', keys: 'escape', group },
  { title: 'Submit a form from a multiline field', keys: 'mod+enter', group },
];

export function ShortcutSheet({
  isOpen,
  onClose,
  context,
}: {
  isOpen: boolean;
  onClose: () => void;
  context: CommandContext;
}) {
  const rows = [
    ...[...screenCommands(), ...offered(context)].flatMap(({ title, keys, group }) =>
      keys === undefined ? [] : [{ title, keys, group }],
    ),
    ...fixed,
  ];
  const groups = [...new Set(rows.map(({ group }) => group))];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts">
      {/* It has no control, and must scroll by keyboard. */}
      <div className="flex flex-col gap-4" {...scrollable('Shortcuts')}>
        {groups.map((name) => (
          <section key={name} aria-label={name}>
            <h3 className="pb-1 text-sm font-medium text-soft">{name}</h3>
            <dl className="grid gap-x-8 sm:grid-cols-2">
              {rows
                .filter(({ group }) => group === name)
                .map(({ title, keys }) => (
                  <div key={title} className="flex min-h-8 items-center justify-between gap-4">
                    <dt>{title}</dt>
                    <dd>
                      <Keys keys={keys} />
                      <span className="sr-only">{keyNames(keys).join(' ')}</span>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
