/**
 * Enrolls an authenticator: a QR code, and a code from the authenticator to confirm it
 * (specification/authentication.md#totp).
 */
import { type ReactNode, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { sentenceOf } from '../../ui/sentence-of.ts';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';

export interface TotpSecret {
  totpSecret: string;
  totpUri: string;
}

interface TotpFormProps {
  secret: TotpSecret;
  isBusy?: boolean;
  /** Why the last code was not accepted. */
  problem: string | undefined;
  /** Gets six digits. */
  onCode: (code: string) => void;
  onBack?: () => void;
  onCancel?: () => void;
  /** Below the field for the code. */
  hint?: string | undefined;
  /** Above the buttons. */
  children?: ReactNode;
}

const digitsOf = (typed: string): string => typed.replaceAll(/\s/g, '');
const isWhole = (digits: string): boolean => /^\d{6}$/.test(digits);

export function TotpForm(props: TotpFormProps) {
  const { secret, isBusy = false, problem, onCode, onBack, onCancel, hint, children } = props;
  const [code, setCode] = useState('');
  /** The code to which the problem belongs. */
  const [sent, setSent] = useState<string | null>(null);
  const fault = isWhole(digitsOf(code)) ? problem : 'A code has six digits.';
  function send(typed: string): void {
    setSent(typed);
    if (isWhole(digitsOf(typed))) onCode(digitsOf(typed));
  }
  return (
    <FieldForm onSubmit={() => send(code)}>
      <div className="flex flex-wrap items-start gap-4">
        <QrCode text={secret.totpUri} label="QR code for an authenticator" />
        <div className="flex min-w-48 flex-1 flex-col gap-2">
          <p className="text-soft">Scan the code with an authenticator, or enter the secret.</p>
          <CopyLine label="Secret" text={secret.totpSecret} />
        </div>
      </div>
      <Field label="Current code" hint={hint} error={sent === code && !isBusy ? fault : undefined}>
        <TextInput
          value={code}
          onChange={({ target: { value } }) => {
            setCode(value);
            // Another field below may still be empty.
            if (isWhole(digitsOf(value)) && children == null && !isBusy) send(value);
          }}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          className="max-w-40 font-mono tracking-widest"
        />
      </Field>
      {children}
      <FormActions>
        {onBack === undefined ? null : <Button onClick={onBack}>Back</Button>}
        {onCancel === undefined ? null : <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Confirm
        </Button>
      </FormActions>
    </FieldForm>
  );
}

export function TotpEnrollment({
  member,
  isOwn,
  hasTotp,
  isOpen,
  onClose,
}: {
  member: string;
  /** The member enrolls it, who may have one already. */
  isOwn: boolean;
  hasTotp: boolean;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { client } = useBroker();
  const params = { name: member };
  const [presentCode, setPresentCode] = useState('');
  const propose = useMutation({ mutationFn: () => client.call('proposeTotp', { params }) });
  const enroll = useMutation({
    mutationFn: (confirmed: { totpSecret: string; code: string }) =>
      client.call('enrollTotp', { params, body: { confirmed, presentCode: presentCode || undefined } }),
    onSuccess() {
      toast('The authenticator was confirmed');
      close();
    },
  });
  const secret = propose.data;
  const close = () => {
    if (propose.isPending) return;
    propose.reset();
    enroll.reset();
    setPresentCode('');
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      isHeld
      isSecret={secret !== undefined}
      title={`Authenticator of ${member}`}
      description={
        hasTotp ? 'The previous authenticator works until a code from the new one is confirmed.' : undefined
      }
    >
      {secret === undefined ? (
        <div className="flex flex-col gap-3">
          <FormError error={propose.error} />
          <FormActions>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" isBusy={propose.isPending} onClick={() => propose.mutate()}>
              Create a new secret
            </Button>
          </FormActions>
        </div>
      ) : (
        <TotpForm
          secret={secret}
          isBusy={enroll.isPending}
          problem={enroll.error === null ? undefined : sentenceOf(enroll.error)}
          onCode={(code) => enroll.mutate({ totpSecret: secret.totpSecret, code })}
          onCancel={close}
          hint={isOwn ? undefined : `The authenticator of ${member} shows it.`}
        >
          {isOwn ? (
            <Field label="Current code of your present authenticator, if you have one">
              <TextInput
                value={presentCode}
                onChange={(event) => setPresentCode(event.target.value.replaceAll(/\D/g, ''))}
                inputMode="numeric"
                autoComplete="off"
                maxLength={6}
                className="max-w-40 font-mono tracking-widest"
              />
            </Field>
          ) : null}
        </TotpForm>
      )}
    </Dialog>
  );
}
