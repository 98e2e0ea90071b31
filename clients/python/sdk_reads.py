"""Reads every list of jumpserver-sdk that Sallyport serves, with a password and an access key."""
import json
import os
from jms_client.client import get_client
from jms_client.v1.models.request.accounts import DescribeAccountsRequest, DetailAccountRequest
from jms_client.v1.models.request.assets import (
    CreateHostRequest, DescribeAssetsRequest, DescribeDatabasesRequest, DescribeDevicesRequest,
    DescribeDomainsRequest, DescribeHostsRequest, DescribeNodesRequest, DescribePlatformsRequest,
    DetailAssetRequest, DetailHostRequest)
from jms_client.v1.models.request.audits import (
    DescribeChangePasswordLogsRequest, DescribeFTPLogsRequest, DescribeLoginLogsRequest,
    DescribeOperateLogsRequest, DescribeSessionsRequest)
from jms_client.v1.models.request.labels import DescribeLabelsRequest
from jms_client.v1.models.request.organizations import DescribeOrganizationsRequest
from jms_client.v1.models.request.permissions import DescribePermissionsRequest
from jms_client.v1.models.request.users import DescribeUserGroupsRequest, DescribeUsersRequest

DATES = {"date_from": "2020-01-01 00:00:00", "date_to": "2040-01-01 00:00:00"}
LISTS = [
    DescribeAccountsRequest, DescribeAssetsRequest, DescribeHostsRequest, DescribeDatabasesRequest,
    DescribeDevicesRequest, DescribeDomainsRequest, DescribeNodesRequest, DescribePlatformsRequest,
    DescribeLabelsRequest, DescribePermissionsRequest, DescribeUsersRequest,
    DescribeUserGroupsRequest, DescribeOrganizationsRequest]
LOGS = [
    DescribeChangePasswordLogsRequest, DescribeFTPLogsRequest, DescribeLoginLogsRequest,
    DescribeOperateLogsRequest, DescribeSessionsRequest]


def read(client, request):
    answer = client.do(request, with_model=True)
    assert answer.is_success(), (type(request).__name__, answer.get_err_msg())
    return answer.get_data()


base = os.environ["TEST_URL"]
version = os.environ.get("TEST_VERSION") or None
password = get_client(
    version=version, web_url=base, username=os.environ["TEST_USER"],
    password=os.environ["TEST_PASSWORD"])
signed = get_client(
    version=version, web_url=base, access_key=os.environ["TEST_KEY"],
    secret_key=os.environ["TEST_SECRET"])
for client in (password, signed):
    shown = {kind.__name__: read(client, kind()) for kind in LISTS}
    shown.update({kind.__name__: read(client, kind(**DATES)) for kind in LOGS})
    host = read(client, DescribeHostsRequest(name="", search="sdk-host"))[0]
    assert read(client, DetailHostRequest(id_=host.id)).name == host.name
    assert read(client, DetailAssetRequest(id_=host.id)).address == host.address
    account = read(client, DescribeAccountsRequest(asset=host.id))[0]
    assert read(client, DetailAccountRequest(id_=account.id)).username == account.username
    assert not hasattr(account, "secret")
    refused = client.do(CreateHostRequest(
        name="x", address="192.0.2.1", domain="", platform="1", nodes=[]), with_model=False)
    print(json.dumps({
        "host": [host.name, host.address, host.type["value"], host.platform["name"]],
        "account": [account.username, account.secret_type["value"], account.asset["name"]],
        "empty": [name for name, rows in shown.items() if not rows],
        "texts": len([str(row) for rows in shown.values() for row in rows]) > 0,
        "refused": refused.is_request_ok()}))
