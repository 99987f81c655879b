import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { mayActAs, type Role } from '../../core/users/user.js';

/** The role of the person who sees the page; null if nobody is signed in. */
export const ActingRole = createContext<Role | null>(null);

/** Whether the person who sees the page may do what needs this role. What may not be done is not offered either. */
export function useMayActAs(needed: Role): boolean {
  const role = useContext(ActingRole);
  return role !== null && mayActAs(role, needed);
}

/** A part of a page for those who have at least this role. */
export function Allowed({ least, children }: { least: Role; children: ComponentChildren }) {
  return useMayActAs(least) ? children : null;
}
