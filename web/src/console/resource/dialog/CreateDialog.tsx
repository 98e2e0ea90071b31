import { resourceNamed } from '@sallyport/contract';
import { common } from '../../../kit/i18n/index.ts';
import type { CreateDialogProps } from '../form/form-dialogs.ts';
import { ObjectDialog } from './ObjectDialog.tsx';

/**
 * Creates an object of a resource from the few fields in its declaration. Loaded on first use, with
 * the declarations.
 */
export function CreateDialog({ resource, ...props }: CreateDialogProps) {
  const source = resourceNamed(resource);
  return (
    <ObjectDialog
      mode="new"
      source={source}
      groups={[{ title: common.basicInfo, fields: source.quickCreate ?? [] }]}
      {...props}
    />
  );
}
