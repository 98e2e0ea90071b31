const CONTROLS = [
  '[aria-invalid="true"]',
  'input:checked',
  'input, textarea, select, button, [tabindex="0"]',
];

/**
 * Focuses the first invalid control of a form, including groups of choices, and scrolls it to the
 * middle. Scrolls to the top for errors without a field.
 */
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
