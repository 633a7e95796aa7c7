/**
 * How a person calls the command line of this installation. The packed app brings `svc` itself. A checkout has
 * it only through `npx` in its folder; elsewhere, `npx svc` would offer a package of that name by someone else.
 */
export const svcCommand = import.meta.url.endsWith('.ts') ? 'npx svc' : 'svc';
