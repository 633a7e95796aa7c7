/** Says why controls leave the screen when permissions of the member are withdrawn. */
import { useEffect, useRef } from 'react';
import { permissionWords } from '#protocol/permission-words.ts';
import { useSelf } from '../data/self.tsx';
import { toast } from '../ui/toast.ts';

/** Shows nothing itself. */
export function PermissionNews(): null {
  const { permissions } = useSelf();
  const before = useRef(permissions);
  useEffect(() => {
    const lost = before.current.filter((one) => !permissions.includes(one));
    before.current = permissions;
    if (lost.length > 0)
      toast('A manager withdrew permissions of yours', lost.map((one) => permissionWords[one]).join(', '));
  }, [permissions]);
  return null;
}
