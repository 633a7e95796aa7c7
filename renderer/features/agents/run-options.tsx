/** The options of a run: the agent's arguments, its approvals, and the address for its model requests. */
import { Field, TextArea, TextInput } from '../../ui/field.tsx';

export interface RunOptions {
  /** One argument per line. */
  args: string;
  isUnattended: boolean;
  /** Empty for the agent's own setting. */
  modelUrl: string;
}

export function RunOptionFields({
  options,
  onOptions,
}: {
  options: RunOptions;
  onOptions: (options: RunOptions) => void;
}) {
  const set = (change: Partial<RunOptions>) => onOptions({ ...options, ...change });
  return (
    <>
      <Field
        label="Arguments for the agent"
        hint="One per line, without quotes. Do not enter secrets, because other users of this computer can see the arguments."
      >
        <TextArea
          rows={2}
          value={options.args}
          onChange={(event) => set({ args: event.target.value })}
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 accent-(--accent)"
          checked={options.isUnattended}
          onChange={(event) => set({ isUnattended: event.target.checked })}
        />
        <span>
          <span className="font-medium">Unattended</span>
          <span className="block text-sm text-soft">
            The agent changes files and runs programs with all rights of your account on this computer,
            without asking. This choice is recorded in its log.
          </span>
        </span>
      </label>
      <details>
        <summary className="cursor-pointer text-sm font-medium">Advanced</summary>
        <div className="pt-2">
          <Field
            label="Model address"
            hint="The address for the agent’s model requests. Leave it empty to use the agent’s own settings."
          >
            <TextInput
              type="url"
              value={options.modelUrl}
              onChange={(event) => set({ modelUrl: event.target.value })}
              placeholder="https://api.anthropic.com"
            />
          </Field>
        </div>
      </details>
    </>
  );
}
