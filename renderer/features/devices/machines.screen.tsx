/** Machines: waiting codes on top, the machines of the team below, and how to add one. */
import { useMay } from '../../data/self.tsx';
import { Section } from '../../ui/page.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import { DecidedDevices } from './decided-devices.tsx';
import { DeviceList } from './device-list.tsx';
import { JoinPanel } from './join-panel.tsx';
import { WaitingDevices } from './waiting-devices.tsx';

export function MachinesScreen() {
  const mayApprove = useMay('approveEnrollment');
  return (
    <AdminPage title="Machines">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 py-4 sm:px-4">
        <WaitingDevices mayDecide={mayApprove} />
        <DeviceList />
        {mayApprove ? (
          <>
            <Section title="Add a device">
              <div className="p-4">
                <JoinPanel />
              </div>
            </Section>
            <Section title="Decided in the last 30 days">
              <DecidedDevices />
            </Section>
          </>
        ) : null}
      </div>
    </AdminPage>
  );
}
