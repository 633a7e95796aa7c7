/** Warns that another member has changed the fields that are being edited. */
import { Meanwhile } from './meanwhile.tsx';

export function Overtaken({ fields }: { fields: readonly string[] }) {
  return (
    <Meanwhile
      sentences={fields.map(
        (field) => `${field}: another member has changed this field. If you save, your version replaces it.`,
      )}
    />
  );
}
