const CONTROLS = [
  '[aria-invalid="true"]',
  'input:checked',
  'input, textarea, select, button, [tabindex="0"]',
];

/** Focuses the first control of a form that has a problem, groups of choices included, and scrolls it to the middle; a problem of no field is at the top. */
export function focusFirstProblem(form: HTMLElement): void {
  const problem = form.querySelector<HTMLElement>('[data-problem], [role="alert"]');
  if (!problem) return;
  const control = CONTROLS.map((selector) =>
    problem.querySelector<HTMLElement & { readonly disabled?: boolean }>(
      `:is(${selector}):not(:disabled)`,
    ),
  ).find(Boolean);
  control?.focus({ preventScroll: true });
  problem.scrollIntoView({ block: 'center' });
}
