import { Checkbox, Input, Stack } from '@mantine/core';
import { choicesOf } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { ACTION_TREES, type ActionBranch, tick, tickOf } from './actions.ts';

const INDENT = 28;

/** Edits the actions of a permission as trees of checkboxes. */
export function ActionsField({
  label,
  help,
  required,
  disabled,
  error,
  field,
  value,
  onChange,
  trees = ACTION_TREES,
}: WidgetProps & { readonly trees?: readonly ActionBranch[] }) {
  const ticked = Array.isArray(value) ? value.map(String) : [];
  const nameOf = (branch: ActionBranch) => {
    const choice = choicesOf(field)?.find(({ value: one }) => one === branch.name);
    return choice ? t(choice.label) : branch.name;
  };

  function draw(branch: ActionBranch, level: number): React.ReactNode {
    const state = tickOf(branch, ticked);
    return (
      <div key={branch.name}>
        <Checkbox
          size="md"
          styles={{ label: { fontSize: 'var(--mantine-font-size-sm)' } }}
          ml={level * INDENT}
          my={4}
          label={nameOf(branch)}
          disabled={disabled}
          checked={state === 'all'}
          indeterminate={state === 'some'}
          onChange={(event) => onChange(tick(branch, event.currentTarget.checked, ticked))}
        />
        {branch.children.map((child) => draw(child, level + 1))}
      </div>
    );
  }

  return (
    <Input.Wrapper
      label={label}
      description={help}
      error={error}
      withAsterisk={required}
      labelElement="div"
    >
      <Stack gap={0} role="group" aria-label={label} mt={4}>
        {trees.map((tree) => draw(tree, 0))}
      </Stack>
    </Input.Wrapper>
  );
}
