/** Ids that people read and type: a prefix and ten characters. */
import { randomBytes } from 'node:crypto';
import { ChannelId, ObjectiveId } from '#protocol/ids.ts';

/** Crockford base32: no i, l, o, or u. Its 32 letters take five bits of a byte without bias. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const mint = (): string => Array.from(randomBytes(10), (byte) => alphabet[byte & 31]).join('');

/** `ch_` and 50 random bits. */
export const mintChannelId = (): ChannelId => ChannelId.parse(`ch_${mint()}`);

/** `obj_` and 50 random bits. */
export const mintObjectiveId = (): ObjectiveId => ObjectiveId.parse(`obj_${mint()}`);
