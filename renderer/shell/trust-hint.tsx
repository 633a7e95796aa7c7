/** For who came past a browser's warning: how it goes away. Only where there is one. */
export function TrustHint() {
  if (window.location.protocol !== 'https:') return null;
  return (
    <p className="text-sm text-soft">
      Does the browser warn about this address?{' '}
      <a href="/app/trust" className="text-accent underline underline-offset-2">
        Trust this broker’s certificate
      </a>
    </p>
  );
}
