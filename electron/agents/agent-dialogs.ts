/**
 * The questions that the app asks before an agent starts. If there is no console window, the answer is no.
 */
import { type BrowserWindow, dialog } from 'electron';
import type { AgentsBridgeDeps } from './agents-bridge.ts';

export function agentDialogs(
  windowOf: () => BrowserWindow | null,
): Pick<AgentsBridgeDeps, 'pick' | 'confirmModel'> {
  return {
    async pick(what) {
      const window = windowOf();
      if (window === null) return null;
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title:
          what === 'folder'
            ? 'Choose the folder in which the agent works'
            : 'Choose the program to run as an agent',
        properties: what === 'folder' ? ['openDirectory', 'createDirectory'] : ['openFile'],
      });
      return canceled ? null : (filePaths[0] ?? null);
    },
    async confirmModel(host) {
      const window = windowOf();
      if (window === null) return false;
      const { response } = await dialog.showMessageBox(window, {
        type: 'warning',
        message: `Send the agent’s model requests to ${host}?`,
        detail:
          'This host will receive everything that the agent reads and writes, and the key with which the agent logs in there.',
        buttons: ['Send requests', 'Cancel'],
        defaultId: 1,
        cancelId: 1,
      });
      return response === 0;
    },
  };
}
