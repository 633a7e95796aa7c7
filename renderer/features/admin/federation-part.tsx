/**
 * Federation with a hosted control plane (specification/platform.md): its state, and connecting. It needs a
 * browser session.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { Meanwhile, withdrawn } from '../../ui/meanwhile.tsx';
import { Section } from '../../ui/page.tsx';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { Unsaved } from '../../ui/unsaved.tsx';

/** The form stays, with what was typed, for a member who may not connect a platform anymore. */
export function FederationPart({ federation }: Pick<Diagnostics, 'federation'>) {
  const mayBind = useMay('bindPlatform');
  return (
    <Section title="Platform">
      {mayBind ? <State federation={federation} /> : null}
      <Bind mayBind={mayBind} hasPlatform={federation !== null} />
    </Section>
  );
}

function State({ federation }: Pick<Diagnostics, 'federation'>) {
  return (
    <>
      <p className="px-4 pt-4 text-soft">
        A platform is a service outside this broker that logs members of this team in with its own accounts.
      </p>
      {federation === null ? (
        <p className="px-4 pt-2 text-soft">
          No platform is connected. Members log in only with tokens and authenticators of this broker.
        </p>
      ) : (
        <dl className="grid gap-x-4 gap-y-2 p-4 sm:grid-cols-[8rem_1fr]">
          <dt className="text-soft">Issuer</dt>
          <dd className="font-mono break-all">{federation.issuer}</dd>
          <dt className="text-soft">Audience</dt>
          <dd className="font-mono break-all">{federation.audience}</dd>
          <dt className="text-soft">Keys</dt>
          <dd className="font-mono break-all">{federation.jwksUrl}</dd>
        </dl>
      )}
    </>
  );
}

function Bind({ mayBind, hasPlatform }: { mayBind: boolean; hasPlatform: boolean }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [platformUrl, setUrl] = useState('');
  const [pairingCode, setCode] = useState('');
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(isOpen);
  const opener = useRef<HTMLButtonElement>(null);
  const firstField = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isOpen !== wasOpen.current) (isOpen ? firstField : opener).current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const bind = useMutation({
    mutationFn: () => client.call('bindPlatform', { body: { platformUrl, pairingCode } }),
    onSuccess: async ({ jwt }) => {
      toast('The platform is connected', `Tokens of ${jwt.issuer} are now accepted.`);
      setUrl('');
      setCode('');
      setOpen(false);
      await cache.invalidateQueries({ queryKey: keys.diagnostics });
    },
  });
  const isFilled = platformUrl.trim() !== '' && pairingCode.trim() !== '';
  if (!isOpen)
    return mayBind ? (
      <div className="p-4">
        <Button ref={opener} onClick={() => setOpen(true)}>
          {hasPlatform ? 'Connect another platform instead…' : 'Connect a platform…'}
        </Button>
      </div>
    ) : null;
  return (
    <FieldForm className="flex flex-col gap-4 p-4" onSubmit={() => bind.mutate()}>
      <p className="text-soft">
        A connected platform can sign in as <strong className="text-text">any member of this team</strong>,
        including managers. Connect only a platform that you run yourself or trust as much as yourself.
      </p>
      <Field label="Platform address">
        <TextInput
          ref={firstField}
          type="url"
          value={platformUrl}
          onChange={(event) => setUrl(event.target.value)}
          placeholder="https://"
          required
        />
      </Field>
      <Field label="Pairing code" hint="The platform shows this code when you add the team there.">
        <TextInput
          value={pairingCode}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      </Field>
      <Unsaved isChanged={platformUrl !== '' || pairingCode !== ''} />
      <FormError error={bind.error} />
      <Meanwhile sentences={mayBind ? [] : [withdrawn]} />
      {mayBind ? (
        <div className="flex flex-wrap items-center justify-end gap-3">
          {isFilled ? null : <p className="text-sm text-soft">Fill in both fields first.</p>}
          <Button type="submit" look="danger" isBusy={bind.isPending} disabled={!isFilled}>
            Connect and let it sign in as anyone
          </Button>
        </div>
      ) : null}
    </FieldForm>
  );
}
