import { linkClass } from '../ui/button.tsx';

/**
 * Shown to a person who passed a browser warning: how to get rid of it. Nothing is shown if there was no
 * warning.
 */
export function TrustHint() {
  if (window.location.protocol !== 'https:') return null;
  return (
    <p className="text-sm text-soft">
      Does the browser warn about this address?{' '}
      <a href="/app/trust" className={linkClass}>
        Trust this broker’s certificate
      </a>
    </p>
  );
}
