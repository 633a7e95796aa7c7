/** The form for an objective from the message in the address, over the thread. */
import { useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Message } from '#protocol/message.ts';
import { parseScope } from '#protocol/scope.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { useClosingLayer } from '../../ui/layers.ts';
import { descriptionOf, titleOfMessage } from './message-text.rules.ts';
import { useMessageUrl } from './use-message-actions.ts';

const CreateObjective = lazyScreen(() => import('../objectives/create-objective.tsx'), 'CreateObjective');

export function ObjectiveMaker({ scope, message }: { scope: string; message: Message }) {
  const navigate = useNavigate();
  const close = useClosingLayer();
  const urlOf = useMessageUrl(scope);
  // The address of direct messages leads each member to another conversation.
  const url = parseScope(scope)?.kind === 'direct' ? null : urlOf(message);
  return (
    <Suspense fallback={null}>
      <CreateObjective
        isOpen
        initial={{ title: titleOfMessage(message), body: descriptionOf(message, url) }}
        onClose={() =>
          close(
            () =>
              void navigate({ to: '.', search: (search) => ({ ...search, make: undefined }), replace: true }),
          )
        }
      />
    </Suspense>
  );
}
