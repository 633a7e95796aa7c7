import { expect, test } from 'vitest';
import { faultPage } from './fault-page.rules.ts';

test('says why the broker failed, offers to try again, and names the log', () => {
  const page = faultPage({ kind: 'failed', reason: 'the port is in use' }, '/home/ada/desktop.log');
  expect(page).toContain('the port is in use');
  expect(page).toContain('<a href="/try-again" autofocus>Try again</a>');
  expect(page).toContain('/home/ada/desktop.log');
});

test.each([
  [false, 'remove SVC_STANDBY_URL from its environment'],
  [true, 'delete desktop-database.safe beside svc.json'],
])('says that the database has no team, and how to do without it (kept by the app: %s)', (isKept, remedy) => {
  const page = faultPage({ kind: 'waiting', url: 'http://127.0.0.1:8717', isKept }, '/log');
  expect(page).toContain('The database of this machine has no team yet.');
  expect(page).toContain(remedy);
});

test('makes no markup of what it shows', () => {
  const page = faultPage({ kind: 'failed', reason: '<script>x</script> & "y"' }, '<b>');
  expect(page).toContain('&lt;script&gt;x&lt;/script&gt; &amp; &quot;y&quot;');
  expect(page).not.toMatch(/<script|<b>/);
});

test('offers nothing to try while the broker starts or stops', () => {
  for (const kind of ['starting', 'stopping', 'stopped'] as const)
    expect(faultPage({ kind }, '/log')).not.toContain('Try again');
});
