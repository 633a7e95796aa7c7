/** The list of shortcuts, which `?` opens. */
import { Dialog } from '../ui/dialog.tsx';
import { Keys, keyNames } from '../ui/keys.tsx';
import { type CommandContext, offered } from './registry.ts';
import { screenCommands } from './screen-commands.ts';

const fixed = [
  { title: 'Filter this screen', keys: '/' },
  { title: 'Close the dialog or menu on top', keys: 'escape' },
  { title: 'Submit a form from a multiline field', keys: 'mod+enter' },
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
    ...[...screenCommands(), ...offered(context)].flatMap(({ title, keys }) =>
      keys === undefined ? [] : [{ title, keys }],
    ),
    ...fixed,
  ];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts">
      {/* It has no control, and must scroll by keyboard. */}
      <dl tabIndex={0} className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        {rows.map(({ title, keys }) => (
          <div key={title} className="flex min-h-8 items-center justify-between gap-4">
            <dt>{title}</dt>
            <dd>
              <Keys keys={keys} />
              <span className="sr-only">{keyNames(keys).join(' ')}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
