import { resourceNamed } from '@sallyport/contract';
import { common } from '../../../kit/i18n/index.ts';
import type { CreateDialogProps } from '../form/form-dialogs.ts';
import { ObjectDialog } from './ObjectDialog.tsx';

/** Creates an object of a resource by the few fields that its declaration names. It is loaded when it opens, and the declarations with it. */
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
