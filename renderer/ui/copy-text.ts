/**
 * Copies a text to the clipboard. Pages that arrived over plain HTTP from another machine have no `navigator.clipboard`, but may copy a selection.
 * @throws Error that says what to do instead.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'fixed opacity-0';
  // A dialog keeps the focus within itself.
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!isCopied) throw new Error('This browser did not copy the text. Select it and copy it manually.');
}
