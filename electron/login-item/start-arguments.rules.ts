/** How the app was started. */

export interface StartArguments {
  /** Without a window, as at login. */
  isHidden: boolean;
  /** An update could not be installed, and the app started again with the version that it had. */
  hasUpdateFailed: boolean;
}

const hidden = '--hidden';
const updateFailed = '--update-failed';

/** macOS passes no arguments at login; it says that it opened the app. */
export function startArgumentsOf(
  argv: readonly string[],
  platform: string,
  loginItem: () => { wasOpenedAtLogin?: boolean },
): StartArguments {
  const wasOpenedAtLogin = platform === 'darwin' && loginItem().wasOpenedAtLogin === true;
  return {
    isHidden: argv.includes(hidden) || wasOpenedAtLogin,
    hasUpdateFailed: argv.includes(updateFailed),
  };
}

/** The arguments for a start that a person asked for, which shows itself. */
export const keptArguments = (args: readonly string[]): string[] =>
  args.filter((one) => one !== hidden && one !== updateFailed);
