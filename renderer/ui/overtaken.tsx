/** Warns that another member has changed the fields that are being edited. */
export function Overtaken({ fields }: { fields: readonly string[] }) {
  return (
    <div role="status">
      {fields.map((field) => (
        <p key={field} className="rounded-md bg-caution-soft px-3 py-2 text-caution">
          {field}: another member has changed this field. If you save, your version replaces it.
        </p>
      ))}
    </div>
  );
}
