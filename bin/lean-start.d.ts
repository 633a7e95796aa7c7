export function startLean(): void;
export function endLeanStart(): void;
