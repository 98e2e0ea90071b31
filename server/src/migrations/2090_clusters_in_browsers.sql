-- The client of a token: KT is a kubeconfig, WT a page of the console, whose token nobody receives.
alter table cluster_token add column login_from text not null default 'KT'
  check (login_from in ('KT', 'WT'));
