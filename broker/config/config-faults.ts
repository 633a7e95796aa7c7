/**
 * The faults of a well-formed configuration: violations of the rules between its fields
 * (specification/members.md#the-last-manager).
 */
import { leaves, resolvePermissions } from '#protocol/access.ts';
import { foldedName } from '#protocol/folded-name.ts';
import { hashToken } from '../security/token.ts';
import type { WrittenConfig } from './svc-config.ts';

/** Returns one sentence per fault, which begins with the path of the field. */
export function configFaults(config: WrittenConfig): string[] {
  return [...faultsOfEach(config), ...managerFaults(config)];
}

/** As `configFaults`, but without the rules that need all members: `config` may hold some of them only. */
export function faultsOfEach(config: WrittenConfig): string[] {
  return [...presetFaults(config), ...memberFaults(config)];
}

function presetFaults(config: WrittenConfig): string[] {
  return Object.keys(config.team.permissionPresets)
    .filter((name) => leaves.some((leaf) => leaf === name))
    .map((name) => `team.permissionPresets.${name}: a preset must not have the name of a permission`);
}

function memberFaults(config: WrittenConfig): string[] {
  const faults: string[] = [];
  const pathByName = new Map<string, string>();
  const pathByHash = new Map<string, string>();
  for (const [index, member] of config.store.members.entries()) {
    const path = `store.members[${index}]`;
    const namesake = pathByName.get(foldedName(member.name));
    if (namesake)
      faults.push(`${path}.name: is also the name of ${namesake}; names are compared without regard to case`);
    else pathByName.set(foldedName(member.name), path);

    const hash = member.token ? hashToken(member.token) : member.tokenHash;
    const holder = hash ? pathByHash.get(hash) : undefined;
    if (holder)
      faults.push(`${path}.${member.token ? 'token' : 'tokenHash'}: is also the token of ${holder}`);
    else if (hash) pathByHash.set(hash, path);

    for (const [at, entry] of member.rawPermissions.entries()) {
      if (resolvePermissions([entry], config.team.permissionPresets).unknown.length === 0) continue;
      faults.push(
        `${path}.rawPermissions[${at}]: ${JSON.stringify(entry)} is neither a preset nor a permission`,
      );
    }
  }
  return faults;
}

function managerFaults(config: WrittenConfig): string[] {
  const presets = config.team.permissionPresets;
  const hasManager = config.store.members.some((member) =>
    resolvePermissions(member.rawPermissions, presets).permissions.includes('members.manage'),
  );
  return hasManager ? [] : ['store.members: at least one member must hold members.manage'];
}
