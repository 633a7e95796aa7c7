export function runCommand(): Promise<void>;
