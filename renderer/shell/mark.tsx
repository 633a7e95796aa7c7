/** The product's mark. */
export function Mark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#2f6f5e" />
      <path d="M8 22V12l8 7 8-7v10" fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      <circle cx="16" cy="9" r="2" fill="#ffd28a" />
    </svg>
  );
}
