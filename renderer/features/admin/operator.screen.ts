/** The parts that only operators see, in one file, because they share most of their code. */
export { BackupScreen } from './backup.screen.tsx';
export { HealthScreen } from './health.screen.tsx';
export { NetworkScreen } from './network.screen.tsx';
