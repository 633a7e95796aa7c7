/** The broker for components: the typed client and the transport, by context. */
import { createContext, type ReactNode, use, useMemo } from 'react';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { Transport } from './transport.ts';

interface Broker {
  client: BrokerClient;
  transport: Transport;
}

const BrokerContext = createContext<Broker | null>(null);

export function BrokerProvider({ transport, children }: { transport: Transport; children: ReactNode }) {
  const broker = useMemo(() => ({ transport, client: createClient(transport.send) }), [transport]);
  return <BrokerContext value={broker}>{children}</BrokerContext>;
}

export function useBroker(): Broker {
  const broker = use(BrokerContext);
  if (broker === null) throw new Error('useBroker outside of its provider');
  return broker;
}
