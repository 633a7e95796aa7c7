/** Edits or deletes one of the member's own messages, over the thread (specification/messages.md#changes). */
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Message } from '#protocol/message.ts';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea } from '../../ui/field.tsx';
import { Meanwhile, mayNot, withdrawn } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';

export interface MessageChanging {
  kind: 'edit' | 'delete';
  /** As it was when the dialog opened. */
  message: Message;
}

interface Props extends MessageChanging {
  /** The member may still read the thread. */
  isReadable: boolean;
  /** Undefined if the thread does not show it anymore. */
  now: Message | undefined;
  onClose: () => void;
}

/** The member may change it in another tab. */
function newsOf({ kind, message, isReadable, now }: Props): string | undefined {
  if (!isReadable) return kind === 'edit' ? withdrawn : mayNot;
  if (now?.deleted !== undefined) return 'This message was deleted.';
  return kind === 'edit' && now !== undefined && now.body !== message.body
    ? 'In the meantime, the text of this message was changed. If you save, your version replaces it.'
    : undefined;
}

/** The message, if it is still on the screen; otherwise the log. */
const rowOf = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`) ??
  document.querySelector<HTMLElement>('[role=log]');

function EditForm(props: Props) {
  const { message, onClose } = props;
  const news = newsOf(props);
  const { client } = useBroker();
  const [body, setBody] = useState(message.body);
  const save = useMutation({
    mutationFn: () => client.call('editMessage', { params: { id: message.id }, body: { body } }),
    onSuccess: onClose,
  });
  return (
    <FieldForm
      onSubmit={() => {
        if (body === message.body) onClose();
        else save.mutate();
      }}
    >
      <Field label="Text">
        <TextArea
          value={body}
          required
          dir="auto"
          rows={6}
          maxLength={limits.message.body}
          onChange={(event) => setBody(event.target.value)}
        />
      </Field>
      <FormError error={save.error} />
      <Meanwhile sentences={news === undefined ? [] : [news]} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={save.isPending}>
          Save
        </Button>
      </FormActions>
    </FieldForm>
  );
}

function DeleteConfirm(props: Props) {
  const { message, onClose } = props;
  const { client } = useBroker();
  const remove = useMutation({
    mutationFn: () => client.call('deleteMessage', { params: { id: message.id } }),
    onSuccess: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title="Delete this message?"
      consequence="The broker removes its text, and tells the conversation. Readers and agents keep the text that they already have, and the files that it shared stay shared. This cannot be undone."
      act="Delete"
      change={remove}
      news={newsOf(props)}
      onConfirm={() => remove.mutate()}
      focusAfter={() => rowOf(message.id)}
    />
  );
}

export function MessageChanger(props: Props) {
  const { kind, message, onClose } = props;
  if (kind === 'delete') return <DeleteConfirm {...props} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Edit the message"
      description="The conversation is told of the new text."
      focusAfter={() => rowOf(message.id)}
    >
      <EditForm {...props} />
    </Dialog>
  );
}
