export function enableCompileCache(): void;
export function keepCompiledCode(): void;
export function shareCompileCacheWithThreads(): void;
