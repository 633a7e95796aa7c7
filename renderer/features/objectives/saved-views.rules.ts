/** The views that a member keeps: a name, a filter, and an arrangement each. Pure. */
import { keptList } from '../../data/kept.rules.ts';
import { type ObjectiveView, readObjectiveView } from '../../data/objective-view.rules.ts';

export const maxSavedViews = 20;
export const maxViewName = 40;
/** The longest text of a view's filter that is kept. */
const maxText = 500;

export interface SavedView {
  /** Unique. */
  name: string;
  search: ObjectiveView;
}

function savedView(value: unknown): SavedView | null {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('search' in value)) return null;
  const { name, search } = value;
  if (typeof name !== 'string' || name === '' || typeof search !== 'object' || search === null) return null;
  return { name: name.slice(0, maxViewName), search: readObjectiveView({ ...search }) };
}

/** Returns the views in a text that the browser kept; what does not have the form of a view is left out. */
export function savedViewsIn(text: string | null): SavedView[] {
  const names = new Set<string>();
  return keptList(text)
    .flatMap((value) => savedView(value) ?? [])
    .filter(({ name }) => !names.has(name) && names.add(name))
    .slice(0, maxSavedViews);
}

/** Returns why the name cannot be given to a view, as a sentence; null if it can. `except`: its present name. */
export function refusalOfName(views: readonly SavedView[], name: string, except?: string): string | null {
  if (name.trim() === '') return 'Enter a name.';
  if (name.trim() !== except && views.some((view) => view.name === name.trim()))
    return 'You already have a view with this name.';
  return null;
}

/** Returns the views with one more at its end, or undefined if there is no room for it. */
export function withView(
  views: readonly SavedView[],
  name: string,
  { view, status, assignee, originator, q, group, sort }: ObjectiveView,
): SavedView[] | undefined {
  if (views.length >= maxSavedViews) return undefined;
  const search = { view, status, assignee, originator, q: q?.slice(0, maxText), group, sort };
  return [...views, { name: name.trim(), search }];
}

export const renamedView = (views: readonly SavedView[], from: string, to: string): SavedView[] =>
  views.map((view) => (view.name === from ? { ...view, name: to.trim() } : view));

export const withoutView = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((view) => view.name !== name);
