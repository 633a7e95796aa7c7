export function chooseSmallAllocator(): void;
export function leanFlags(version?: string): string[];
export function startLean(): void;
export function endLeanStart(): void;
export function startSmall(): void;
export function endSmallStart(): void;
