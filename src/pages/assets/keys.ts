/** Does what a key means, unless another one is held with it. Returns whether it means something. */
export function actOnKey(event: KeyboardEvent, actions: Readonly<Record<string, () => void>>): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
  if (action === undefined) return false;
  event.preventDefault();
  action();
  return true;
}
