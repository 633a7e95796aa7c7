/** The mark of an objective for which the inbox has something, on rows and on cards. */
import { Badge } from '../../ui/badge.tsx';

export const NeedsYou = () => (
  <>
    <Badge tone="caution">Needs you</Badge>{' '}
  </>
);
