/** The logged-in member on this browser, and the version. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { useMay, useSelf } from '../../data/self.tsx';
import { useLogOut } from '../../shell/log-out.ts';
import { applyTheme, storedTheme, type Theme } from '../../shell/theme.ts';
import { Button, linkClass } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { PermissionBadges } from '../../ui/permission-badges.tsx';
import { useDiagnostics } from '../admin/diagnostics.ts';

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-3 max-sm:flex-col max-sm:gap-0">
    <dt className="w-24 shrink-0 text-soft">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

function TelemetryState() {
  const { data } = useDiagnostics();
  if (data === undefined) return null;
  const { isEnabled, endpoint } = data.telemetry;
  return (
    <>
      {!isEnabled
        ? 'Off. '
        : endpoint === null
          ? 'On, but nothing is sent: SVC_TELEMETRY_URL is not set. '
          : `On: two counts are sent to ${endpoint}. `}
      <code className="font-mono text-sm">muster telemetry preview</code> shows everything that would be sent.
    </>
  );
}

export function AboutPart() {
  const { client } = useBroker();
  const self = useSelf();
  const maySeeTelemetry = useMay('diagnostics');
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const { data: health } = useQuery({ queryKey: ['health'], queryFn: () => client.call('health', {}) });
  const logOut = useLogOut();
  return (
    <div className="flex flex-col gap-4">
      <Section title="Account">
        <div className="flex flex-col gap-3 p-4">
          <p>
            <strong>{self.member}</strong>, <bdi>{self.role.title}</bdi>
          </p>
          <p className="flex flex-wrap gap-1">
            <PermissionBadges permissions={self.permissions} />
          </p>
          <p className="text-soft">
            <Link to="/app/admin/people" search={{ member: self.member }} className={linkClass}>
              Your sessions, tokens, and authenticator
            </Link>
          </p>
          <div>
            <Button isBusy={logOut.isPending} onClick={() => logOut.mutate()}>
              Log out
            </Button>
          </div>
        </div>
      </Section>
      <Section title="Appearance">
        <fieldset className="flex flex-wrap gap-4 p-4">
          <legend className="sr-only">Theme</legend>
          {(['system', 'light', 'dark'] as const).map((one) => (
            <label key={one} className="flex items-center gap-1.5">
              <input
                type="radio"
                name="theme"
                checked={theme === one}
                onChange={() => {
                  setTheme(one);
                  applyTheme(one);
                }}
                className="accent-(--accent)"
              />
              {{ system: 'System', light: 'Light', dark: 'Dark' }[one]}
            </label>
          ))}
        </fieldset>
      </Section>
      <Section title="About">
        <dl className="flex flex-col gap-3 p-4">
          <Fact name="Version">Muster {health?.version ?? ''}</Fact>
          <Fact name="Telemetry">
            {maySeeTelemetry ? <TelemetryState /> : 'Off unless a manager of this team turned it on.'}
          </Fact>
        </dl>
      </Section>
    </div>
  );
}
