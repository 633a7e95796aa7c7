import type { Handlers } from '../../http/route.ts';
import type { DiagnosticsService } from './diagnostics.service.ts';

export const diagnosticsRoutes = (diagnostics: DiagnosticsService): Handlers => ({
  diagnostics: () => diagnostics.read(),
});
