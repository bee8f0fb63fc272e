"""A workbook as JSON: sheet names, and of each cell its kind and value as openpyxl, another implementation, reads them."""

import datetime
import json
import sys
import warnings

import openpyxl

warnings.simplefilter('error')
book = openpyxl.load_workbook(sys.argv[1])


def cell(one):
    value = one.value
    if isinstance(value, datetime.datetime):
        return ['time', value.isoformat(timespec='milliseconds'), one.number_format]
    if isinstance(value, bool) or one.data_type == 'f':
        return ['unexpected', str(value), one.number_format]
    kind = 'none' if value is None else 'text' if isinstance(value, str) else 'number'
    return [kind, value, one.number_format]


json.dump(
    {
        'created': book.properties.created.isoformat(),
        'sheets': [
            {
                'name': sheet.title,
                'frozen': sheet.freeze_panes,
                'filter': sheet.auto_filter.ref,
                'rows': [[cell(one) for one in row] for row in sheet.iter_rows()],
            }
            for sheet in book
        ],
    },
    sys.stdout,
)
