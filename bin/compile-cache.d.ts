export function enableCompileCache(): void;
export function shareCompileCacheWithThreads(): void;
