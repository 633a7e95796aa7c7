/** The form for the name of a channel. */
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { PrivateCheckbox } from './channel-privacy.tsx';
import { useRefreshChannels } from './refresh-channels.ts';

const slugPattern = '[a-z0-9]+(-[a-z0-9]+)*';

/** Used to create a channel and to rename one. */
export function SlugForm<Result>({
  initial,
  act,
  run,
  asksPrivacy = false,
  onDone,
  onClose,
}: {
  initial: string;
  act: string;
  run: (slug: string, isPrivate: boolean) => Promise<Result>;
  /** Whether the form also asks if the channel is private. */
  asksPrivacy?: boolean;
  /** Instead of `onClose`, when it has succeeded. */
  onDone?: (result: Result) => void;
  onClose: () => void;
}) {
  const [slug, setSlug] = useState(initial);
  const [isPrivate, setPrivate] = useState(false);
  const refresh = useRefreshChannels();
  const submit = useMutation({
    mutationFn: () => run(slug, isPrivate),
    onSuccess: (result) => {
      refresh();
      if (onDone === undefined) onClose();
      else onDone(result);
    },
  });
  return (
    <FieldForm onSubmit={() => submit.mutate()}>
      <Field label="Name" hint="Lowercase letters, digits, and single hyphens.">
        <TextInput
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
          maxLength={limits.channelSlug}
          pattern={slugPattern}
          title="Lowercase letters, digits, and single hyphens"
          autoCapitalize="none"
          required
        />
      </Field>
      {asksPrivacy ? <PrivateCheckbox isPrivate={isPrivate} onChange={setPrivate} /> : null}
      <FormError error={submit.error} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={submit.isPending}>
          {act}
        </Button>
      </FormActions>
    </FieldForm>
  );
}
