/** The addresses at which clients on other machines reach the team (specification/standby.md#addresses). */
import { z } from 'zod';
import { maxAddressCharacters, maxAddresses } from './further-address.ts';

export const BrokerAddress = z
  .object({
    url: z.string().max(maxAddressCharacters).describe('An https address without a path.'),
    fingerprint: z.string().describe('The fingerprint of the team’s key, as clients pin it.'),
  })
  .meta({ id: 'BrokerAddress', description: 'An address at which a machine of the team listens for HTTPS.' });
export type BrokerAddress = z.infer<typeof BrokerAddress>;

export const BrokerAddressList = z
  .object({ addresses: z.array(BrokerAddress).max(maxAddresses) })
  .meta({ id: 'BrokerAddressList' });
