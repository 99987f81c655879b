export function laterThan(version: string, other: string): boolean;
export function withVersion(text: string, before: string, after: string): string;
export function datedChangelog(text: string, version: string, day: string): string;
export function stateOf(changelog: string, version: string): string;
