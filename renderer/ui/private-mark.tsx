/** A lock beside the name of a private channel. */
import { Lock } from 'lucide-react';

export function PrivateMark() {
  return (
    <span title="Private: only invited members see it" className="text-faint [&_svg]:size-3.5">
      <Lock aria-hidden="true" />
      <span className="sr-only">private</span>
    </span>
  );
}
