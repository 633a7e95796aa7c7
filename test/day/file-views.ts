/** The views of files: contents, directories, and shared files. */
import type { Answer } from './day-broker.ts';
import { listFiles, readFile, sharedFiles } from './file-model.ts';
import { okOr, type View, type ViewContext } from './view.ts';

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
const pathsIn = (body: Answer['body']): string[] => body.entries.map(({ path }: { path: string }) => path);

export function createFileViews({ day, get }: ViewContext) {
  const fileOf = (name: string, path: string): View => ({
    title: `${path} for ${name}`,
    expected: readFile(day, name, path),
    async actual() {
      const { status, body } = await get(name, `/fs/read${encoded(path)}`);
      return status === 200 ? { status, body } : { status };
    },
  });

  const listOf = (name: string, path: string): View => ({
    title: `ls ${path} for ${name}`,
    expected: listFiles(day, name, path),
    actual: async () => okOr(await get(name, `/fs/ls?${new URLSearchParams({ path })}`), pathsIn),
  });

  const sharedWith = (name: string): View => ({
    title: `/fs/shared for ${name}`,
    expected: sharedFiles(day, name),
    actual: async () => okOr(await get(name, '/fs/shared'), pathsIn),
  });

  return { fileOf, listOf, sharedWith };
}
